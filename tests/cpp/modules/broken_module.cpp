// A module whose library is missing, as seen by the loader: it needs a symbol that nothing defines.
extern "C" void symbol_of_a_missing_library();
extern "C" const void* neargp_device_module() {
  symbol_of_a_missing_library();
  return nullptr;
}
