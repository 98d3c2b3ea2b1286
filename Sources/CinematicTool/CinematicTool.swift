// The stage CinematicTool.
