import CinematicTool
import Foundation

exit(await CinematicTool.run(Array(CommandLine.arguments.dropFirst())))
