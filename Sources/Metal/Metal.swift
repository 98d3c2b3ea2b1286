// The stage Metal.
