// Tests of the stage CinematicTool.
