// Flat faces: the normal of a triangle from the derivatives of its position.

// A face steeper than this is a wall.
const float WALL_UP_MAX = 0.2;

vec3 flat_normal(vec3 position) {
    vec3 n = cross(dFdx(position), dFdy(position));
    n = dot(n, n) > 0.0 ? normalize(n) : vec3(0.0, 1.0, 0.0);
    return dot(n, position) > 0.0 ? -n : n; // towards the eye
}
