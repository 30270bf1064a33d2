// Where a vertex of a plant or stone stands: the same in the picture and in shadow maps.

struct PropPose {
    vec2 turn; // sine and cosine
    PropVertex vertex;
    vec4 color;
    PropRow prop;
};

PropPose prop_pose(DrawInstance instance, uint vertex) {
    PropPose pose;
    float angle = float(instance.packed & 0xffu) * (6.2831853 / 256.0);
    pose.turn = vec2(sin(angle), cos(angle));
    pose.vertex = prop_vertex_buffers[push.prop_vertices].vertices[vertex];
    pose.color = unpackUnorm4x8(pose.vertex.color);
    pose.prop = prop_buffers[push.props].props[bitfieldExtract(instance.packed, 8, 8)];
    return pose;
}

vec3 turned(vec3 v, vec2 turn) { return vec3(turn.y * v.x + turn.x * v.z, v.y, turn.y * v.z - turn.x * v.x); }

vec3 prop_position(DrawInstance instance, PropPose pose) {
    vec3 p = turned(pose.vertex.position * instance.scale, pose.turn);
    // Wind: what is high and soft sways most.
    vec2 place = instance.position.xz + FRAME.camera_offset_m.xz;
    float phase = FRAME.time_s * 1.7 + dot(place, vec2(0.11, 0.07));
    p.xz += vec2(sin(phase), cos(phase * 0.83)) * (pose.color.a * p.y * pose.prop.sway);
    return instance.position + p;
}

// How far the next mesh has taken over, in 16ths; above them, whether this is that mesh.
uint fade_of(uint packed) { return bitfieldExtract(packed, DRAWN_FADE_SHIFT, 5); }
