/* For PCMSignatures: keys on the curve P-192. Every call that it needs is a function, so there are no wrappers. */
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
