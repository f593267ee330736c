// Of libraries that have only a name, a version and what they need.
extern "C" {
extern const char kNothing;
const char kNothing = 0;
}
