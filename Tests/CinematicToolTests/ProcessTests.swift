import CinematicTool
import Foundation
import Testing

/// What holds for the tool as a process: signals, standard streams, limits.
@Suite struct ProcessTests {
  @Test func `lost results are a failure, a reader that has gone is none`() async {
    for (code, status) in [(ENOSPC, ExitStatus.failed), (EIO, ExitStatus.failed), (EPIPE, ExitStatus.done), (0, 0)] {
      let said = TestConsole()
      let console = Console(
        output: { _ in }, errors: { said.console().write($0) }, outputFailure: { code })
      #expect(await CinematicTool.run(["--version"], console: console) == status)
      #expect(said.output.isEmpty == (status == 0))
    }
  }

  @Test func `signals that end the tool end it with one status`() async {
    await #expect(processExitsWith: .exitCode(ExitStatus.interrupted)) { await interrupted(by: SIGINT) }
    await #expect(processExitsWith: .exitCode(ExitStatus.interrupted)) { await interrupted(by: SIGTERM) }
    await #expect(processExitsWith: .exitCode(ExitStatus.interrupted)) { await interrupted(by: SIGHUP) }
  }

  @Test func `a closed standard output is a failure, and its place is taken by no file`() async {
    await #expect(processExitsWith: .exitCode(ExitStatus.failed)) {
      close(STDIN_FILENO)
      close(STDOUT_FILENO)
      let status = await CinematicTool.run(["--version"])
      // Both are occupied: the next file gets a higher number.
      let next = open("/dev/null", O_RDONLY)
      exit(next > STDERR_FILENO ? status : 99)
    }
  }

  @Test func `a limit of file sizes is a failure that leaves nothing`() async {
    await #expect(processExitsWith: .exitCode(ExitStatus.failed)) {
      let folder = try TestFolder()
      var limit = rlimit(rlim_cur: 1000, rlim_max: 1000)
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      let status = await CinematicTool.run(["synth", "-o", folder.path("a.mov"), "--size", "64x64", "--frames", "3"])
      let names = folder.names
      try FileManager.default.removeItem(at: folder.url)
      exit(names.isEmpty ? status : 99)
    }
  }

  @Test func `a thread that the system does not give is told`() {
    // More than all of the address space.
    #expect(!OwnThread.start(named: "huge", stackBytes: 1 << 47) {})
    #expect(OwnThread.start(named: "small", stackBytes: 1 << 20) {})
  }
}

/// Installs the handling, sends the signal to this process, and waits for the end.
private func interrupted(by signal: Int32) async {
  _ = await CinematicTool.run(["--version"])
  kill(getpid(), signal)
  while true { pause() }
}
