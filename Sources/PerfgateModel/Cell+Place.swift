extension Cell {
    /// Its page in its environment.
    public var place: PageInEnvironment { PageInEnvironment(page: page, environment: environment) }
}
