/* For PCMCrypto: keys on the curve P-192, and signatures with a given nonce. For PCMCurl: the TLS connections of libcurl. Every
   call that they need is a function, so there are no wrappers. */

/* OpenSSL deprecates the functions of EC_KEY, but before 3.2 only ECDSA_do_sign_ex takes a nonce. */
#define OPENSSL_SUPPRESS_DEPRECATED

#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
