// A private array of 16 words: one that is indexed at run time lies in memory; with constant indices it is in registers.
__global__ void picks(const unsigned *at, unsigned *out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned p = t;
    for (int step = 0; step < 8; ++step) {
        unsigned row[16];
        for (int c = 0; c < 16; ++c) row[c] = p * (2 * c + 1) + step;
        p += row[at[(t + step) % n] & 15];
    }
    out[t] = p;
}
__global__ void selects(const unsigned *at, unsigned *out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned p = t;
    for (int step = 0; step < 8; ++step) {
        unsigned r = 0, b = at[(t + step) % n] & 15;
        for (int c = 0; c < 16; ++c)
            if (b == c) r = p * (2 * c + 1) + step;
        p += r;
    }
    out[t] = p;
}
