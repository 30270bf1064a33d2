//! Vulkan: device, memory, synchronisation, swapchain, transfer, pipelines, timers.
