import PerfgateModel

extension Cell {
    /// Its page in its environment.
    var place: PageInEnvironment { PageInEnvironment(page: page, environment: environment) }
}
