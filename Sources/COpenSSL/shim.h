/* For PCMSignatures: keys on the curve P-192, and signatures with a given nonce. Every call that it needs is a function, so there
   are no wrappers. */

/* OpenSSL deprecates the functions of EC_KEY, but before 3.2 only ECDSA_do_sign_ex takes a nonce. */
#define OPENSSL_SUPPRESS_DEPRECATED

#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
