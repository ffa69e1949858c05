// error: @Equatable is for structs: declare the view as a struct, not as a type of kind 'class'

import PerfgateViews
import SwiftUI

@Equatable
final class V {}
