// A shared object that is not a module of this package.
extern "C" int something_else() { return 1; }
