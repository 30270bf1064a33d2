//! In: declarations of structs and limits, written once. Out: the Rust items and a description of them that becomes GLSL.
//! Never knows: which structs exist, files, Vulkan.
//!
//! Shaders read these structs with `layout(scalar)` (`VK_EXT_scalar_block_layout`, core in 1.2): a member is aligned to its
//! largest scalar, and arrays and nested structs are not rounded up to 16 bytes. Every scalar here has 4 bytes, so `#[repr(C)]`
//! arrays of them lie exactly alike; the macro asserts it at compile time rather than trusting this paragraph.

/// The type of a shared field, as the shader sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FieldType {
    /// A GLSL scalar, vector or matrix: its name and its size in bytes.
    Plain(&'static str, usize),
    /// Another shared struct.
    Struct(&'static StructDeclaration),
    /// A fixed array.
    Array(&'static FieldType, usize),
}

impl FieldType {
    /// Size under scalar layout, without any rounding.
    pub const fn bytes(&self) -> usize {
        match self {
            FieldType::Plain(_, bytes) => *bytes,
            FieldType::Struct(declaration) => declaration.bytes(),
            FieldType::Array(element, count) => element.bytes() * *count,
        }
    }
}

/// One field of a shared struct.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldDeclaration {
    /// The lines of its doc comment.
    pub docs: &'static [&'static str],
    /// Its name, equal on both sides.
    pub name: &'static str,
    /// Its type.
    pub field_type: FieldType,
}

/// A shared struct, as the shader sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StructDeclaration {
    /// The lines of its doc comment.
    pub docs: &'static [&'static str],
    /// Its name, equal on both sides.
    pub name: &'static str,
    /// Its fields in memory order.
    pub fields: &'static [FieldDeclaration],
}

impl StructDeclaration {
    /// Size under scalar layout: the sum of the fields.
    pub const fn bytes(&self) -> usize {
        self.offset(self.fields.len())
    }

    /// Where field `index` starts under scalar layout, in bytes.
    pub const fn offset(&self, index: usize) -> usize {
        let mut bytes = 0;
        let mut i = 0;
        while i < index {
            bytes += self.fields[i].field_type.bytes();
            i += 1;
        }
        bytes
    }
}

/// The value of a shared limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LimitValue {
    /// GLSL `uint`.
    U32(u32),
    /// GLSL `int`.
    I32(i32),
    /// GLSL `float`.
    F32(f32),
}

/// A constant that both sides know.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimitDeclaration {
    /// The lines of its doc comment.
    pub docs: &'static [&'static str],
    /// Its name, equal on both sides.
    pub name: &'static str,
    /// Its value.
    pub value: LimitValue,
}

/// A struct of 4-byte numbers alone: no padding, no pointer, and every bit pattern is a value.
///
/// # Safety
/// Only [`shared_struct!`](macro@crate::shared_struct) implements this, because it also proves it.
#[allow(unsafe_code)]
pub unsafe trait SharedStruct: Copy + 'static {
    /// What the generator writes into GLSL.
    const DECLARATION: StructDeclaration;
}

/// The bytes of shared structs in order, ready for a buffer or a push constant.
pub fn slice_bytes<T: SharedStruct>(values: &[T]) -> &[u8] {
    // SAFETY: the trait promises that all bytes are initialised numbers; u8 has no alignment; the lifetime is that of `values`.
    #[allow(unsafe_code)]
    unsafe {
        std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values))
    }
}

/// Reads shared structs that a shader wrote. A rest smaller than one struct is left out.
pub fn read_slice<T: SharedStruct>(bytes: &[u8]) -> Vec<T> {
    let read = |chunk: &[u8]| {
        // SAFETY: the chunk has the size of T, every bit pattern is a T, and the read is unaligned.
        #[allow(unsafe_code)]
        unsafe {
            chunk.as_ptr().cast::<T>().read_unaligned()
        }
    };
    bytes.chunks_exact(size_of::<T>()).map(read).collect()
}

/// The value whose bytes are all zero.
pub const fn zeroed<T: SharedStruct>() -> T {
    // SAFETY: the trait promises that every bit pattern is a value.
    #[allow(unsafe_code)]
    unsafe {
        std::mem::zeroed()
    }
}

/// Declares all structs that CPU and shaders share, in an order in which a nested one comes first.
///
/// Each becomes a `#[repr(C)]` Rust struct (`Copy`, `Default` = zeros, `as_bytes`, `slice_bytes`, `read_slice`) and a GLSL struct
/// of the same name; `STRUCTS` lists them. Doc comments travel. Field types: `f32 u32 i32`, `[f32; 2..=4]` = `vec2..vec4`,
/// `[u32; 2..=4]` = `uvec2..uvec4`, `[i32; 2..=4]` = `ivec2..ivec4`, `[[f32; 4]; 4]` = column-major `mat4` (`Mat4::to_cols_array_2d`),
/// other shared structs by their bare name, and `[T; N]` of all these. Trap: a literal length decides. `[f32; 3]` is a `vec3`,
/// and four `vec4` read as a `mat4`; a named length (`[[f32; 4]; PLANES]`) is always an array, and may be a shared limit.
#[macro_export]
macro_rules! shared_struct {
    ($(
        $(#[doc = $doc:literal])*
        pub struct $name:ident { $( $(#[doc = $field_doc:literal])* pub $field:ident: $field_type:tt ),* $(,)? }
    )*) => {
        $(
            $(#[doc = $doc])*
            #[repr(C)]
            #[derive(Clone, Copy, Debug, PartialEq)]
            pub struct $name { $( $(#[doc = $field_doc])* pub $field: $crate::shared_rust_type!($field_type), )* }

            // SAFETY: the assertion below proves that the fields fill the struct; field types are numbers or SharedStruct.
            #[allow(unsafe_code)]
            unsafe impl $crate::macros::SharedStruct for $name {
                const DECLARATION: $crate::macros::StructDeclaration = $crate::macros::StructDeclaration {
                    docs: &[$($doc),*],
                    name: stringify!($name),
                    fields: &[$( $crate::macros::FieldDeclaration {
                        docs: &[$($field_doc),*],
                        name: stringify!($field),
                        field_type: $crate::shared_field_type!($field_type),
                    } ),*],
                };
            }

            const _: () = {
                let declaration = <$name as $crate::macros::SharedStruct>::DECLARATION;
                assert!(declaration.bytes() == size_of::<$name>(), "a shared struct has hidden padding");
                assert!(align_of::<$name>() == 4, "a shared struct is aligned like its 4-byte numbers");
                let mut index = 0;
                $(
                    assert!(std::mem::offset_of!($name, $field) == declaration.offset(index), "a field lies elsewhere in GLSL");
                    index += 1;
                )*
                assert!(index > 0, "GLSL has no empty structs");
            };

            impl $name {
                /// The bytes as the shader reads them.
                pub fn as_bytes(&self) -> &[u8] {
                    $crate::macros::slice_bytes(std::slice::from_ref(self))
                }

                /// The bytes of several, one after the other.
                pub fn slice_bytes(values: &[Self]) -> &[u8] {
                    $crate::macros::slice_bytes(values)
                }

                /// What a shader wrote; a rest smaller than one struct is left out.
                pub fn read_slice(bytes: &[u8]) -> Vec<Self> {
                    $crate::macros::read_slice(bytes)
                }
            }

            impl Default for $name {
                /// All zero.
                fn default() -> Self {
                    $crate::macros::zeroed()
                }
            }
        )*

        /// Every shared struct, in the order of declaration.
        pub const STRUCTS: &[$crate::macros::StructDeclaration] =
            &[$( <$name as $crate::macros::SharedStruct>::DECLARATION ),*];
    };
}

/// The GLSL type of a Rust field type; part of [`shared_struct!`].
#[doc(hidden)]
#[macro_export]
macro_rules! shared_field_type {
    (f32) => {
        $crate::macros::FieldType::Plain("float", 4)
    };
    (u32) => {
        $crate::macros::FieldType::Plain("uint", 4)
    };
    (i32) => {
        $crate::macros::FieldType::Plain("int", 4)
    };
    ([f32; 2]) => {
        $crate::macros::FieldType::Plain("vec2", 8)
    };
    ([f32; 3]) => {
        $crate::macros::FieldType::Plain("vec3", 12)
    };
    ([f32; 4]) => {
        $crate::macros::FieldType::Plain("vec4", 16)
    };
    ([u32; 2]) => {
        $crate::macros::FieldType::Plain("uvec2", 8)
    };
    ([u32; 3]) => {
        $crate::macros::FieldType::Plain("uvec3", 12)
    };
    ([u32; 4]) => {
        $crate::macros::FieldType::Plain("uvec4", 16)
    };
    ([i32; 2]) => {
        $crate::macros::FieldType::Plain("ivec2", 8)
    };
    ([i32; 3]) => {
        $crate::macros::FieldType::Plain("ivec3", 12)
    };
    ([i32; 4]) => {
        $crate::macros::FieldType::Plain("ivec4", 16)
    };
    ([[f32; 4]; 4]) => {
        $crate::macros::FieldType::Plain("mat4", 64)
    };
    ([$element:tt; $count:expr]) => {
        $crate::macros::FieldType::Array(&$crate::shared_field_type!($element), $count as usize)
    };
    ($shared:ident) => {
        $crate::macros::FieldType::Struct(&<$shared as $crate::macros::SharedStruct>::DECLARATION)
    };
}

/// The Rust type of a field: lengths may be limits of any integer type; part of [`shared_struct!`].
#[doc(hidden)]
#[macro_export]
macro_rules! shared_rust_type {
    ([$element:tt; $count:expr]) => {
        [$crate::shared_rust_type!($element); $count as usize]
    };
    ($scalar_or_shared:ident) => {
        $scalar_or_shared
    };
}

/// Declares all constants that CPU and shaders share: `u32`, `i32` or `f32`, any constant expression. `LIMITS` lists them.
#[macro_export]
macro_rules! shared_limits {
    ($( $(#[doc = $doc:literal])* pub const $name:ident: $number:tt = $value:expr; )*) => {
        $( $(#[doc = $doc])* pub const $name: $number = $value; )*

        /// Every shared limit, in the order of declaration.
        pub const LIMITS: &[$crate::macros::LimitDeclaration] = &[$( $crate::macros::LimitDeclaration {
            docs: &[$($doc),*],
            name: stringify!($name),
            value: $crate::shared_limit_value!($number, $name),
        } ),*];
    };
}

/// The value of a limit by its type; part of [`shared_limits!`].
#[doc(hidden)]
#[macro_export]
macro_rules! shared_limit_value {
    (u32, $name:ident) => {
        $crate::macros::LimitValue::U32($name)
    };
    (i32, $name:ident) => {
        $crate::macros::LimitValue::I32($name)
    };
    (f32, $name:ident) => {
        $crate::macros::LimitValue::F32($name)
    };
}
