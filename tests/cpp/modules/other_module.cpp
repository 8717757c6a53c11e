// A shared object that is none of ours.
extern "C" int something_else() { return 1; }
