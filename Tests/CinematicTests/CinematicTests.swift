// Tests of the stage Cinematic.
