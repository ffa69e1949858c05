// error: @Equatable is for structs: declare the view as a struct, not as a type of kind 'enum'

import PerfgateViews
import SwiftUI

@Equatable
enum V { case a(Int) }
