/* Only the place of the library: its headers stay out of Swift's sight, because Foundation brings an ICU with other
   declarations of the same names. CUnicode includes them in C. */
