/* Loads the library by hand, as plug-ins are. It knows no CUDA. */
#include <dlfcn.h>
#include <stdio.h>

int main(void) {
  int numbers[50], wrong = 0;
  for (int i = 0; i < 50; ++i) numbers[i] = i * i;
  void* library = dlopen("./libplugin.so", RTLD_NOW);
  if (!library) return puts(dlerror()), 1;
  int (*run)(int*, int) = (int (*)(int*, int))dlsym(library, "run_plugin");
  int status = run(numbers, 50);
  for (int i = 0; i < 50; ++i) wrong += numbers[i] != i * i + 3;
  printf("status %d, %d wrong\n", status, wrong);
  return status || wrong;
}
