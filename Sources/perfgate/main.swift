import PerfgateCLI

Perfgate.start()
