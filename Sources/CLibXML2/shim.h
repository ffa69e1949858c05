#pragma once

// Where libxml2 is built with ICU its headers bring the system's ICU in, which clashes with the one that Foundation
// carries. Only a struct that is never looked into depends on it.
#include <libxml/xmlversion.h>
#undef LIBXML_ICU_ENABLED

#include <libxml/parser.h>
#include <libxml/xmlerror.h>
#include <libxml/xmlreader.h>
#include <libxml/xmlschemas.h>
#include <libxml/xmlwriter.h>
