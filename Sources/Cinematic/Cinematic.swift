// The stage Cinematic.
