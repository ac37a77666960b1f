import './reflect.ts'
import { webcrypto } from 'node:crypto'
import { createSecureContext, type SecureContext } from 'node:tls'
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'
import type { TlsFault } from './site.ts'

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const dayMs = 86_400_000
/** Contexts are large; a crawl over thousands of unknown hosts must not keep them all. */
const contextsMax = 2_000
/** Hosts that share a certificate: making one costs as much as ten handshakes, and each handshake sends all names. */
const hostsShared = 20

export type Authority = {
  /** Certificate that clients have to trust. */
  pem: string
  /** Certificate for clients that send no host name. */
  fallback: { key: string; cert: string }
  contextFor(name: string, fault?: TlsFault): Promise<SecureContext>
}

type Issuer = {
  keys: webcrypto.CryptoKeyPair
  certificate: X509Certificate
  /** Names the key in the certificates that it signs. */
  keyIdentifier: AuthorityKeyIdentifierExtension
}
type Leaf = { names: readonly string[]; issuer: Issuer; notAfter: Date }

/**
 * Creates one authority per served world. Leaf certificates share one key pair, and neighbors among `hosts`, which are
 * sorted, share a certificate; any other host gets one of its own.
 */
export async function createAuthority(
  hosts: readonly string[] = [],
  now = new Date(),
): Promise<Authority> {
  const [issuer, stranger, keys] = await Promise.all([
    createIssuer('Demo Internet Authority', now),
    createIssuer('Authority Nobody Trusts', now),
    createKeys(),
  ])
  const key = PemConverter.encode(
    await webcrypto.subtle.exportKey('pkcs8', keys.privateKey),
    'PRIVATE KEY',
  )
  const contexts = new Map<string, Promise<SecureContext>>()

  const create = async (names: readonly string[], fault?: TlsFault) => {
    const certificate = await createLeaf(keys, now, {
      names: fault === 'wrong_name' ? ['somebody-else.example'] : names,
      issuer: fault === 'unknown_authority' ? stranger : issuer,
      notAfter: addDays(now, fault === 'expired' ? -1 : 3_650),
    })
    return { key, cert: certificate.toString('pem') }
  }

  const contextFor = (name: string, fault?: TlsFault): Promise<SecureContext> => {
    const names = fault === undefined ? findNeighbors(hosts, name) : [name]
    const id = `${names[0]} ${fault ?? ''}`
    const known = contexts.get(id)
    if (known !== undefined) return known
    const [oldest] = contexts.keys()
    if (contexts.size >= contextsMax && oldest !== undefined) contexts.delete(oldest)
    const made = create(names, fault).then(createSecureContext)
    contexts.set(id, made)
    return made
  }
  const fallback = await create(['localhost'])
  return { pem: issuer.certificate.toString('pem'), fallback, contextFor }
}

/** Finds the hosts that share the certificate of one, by halves of the sorted list; the host alone if it is not listed. */
function findNeighbors(hosts: readonly string[], name: string): readonly string[] {
  let [low, high] = [0, hosts.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((hosts[middle] ?? '') < name) low = middle + 1
    else high = middle
  }
  if (hosts[low] !== name) return [name]
  const first = low - (low % hostsShared)
  return hosts.slice(first, first + hostsShared)
}

async function createIssuer(name: string, now: Date): Promise<Issuer> {
  const keys = await createKeys()
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: `CN=${name}`,
    notBefore: addDays(now, -365),
    notAfter: addDays(now, 3_650),
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  const keyIdentifier = await AuthorityKeyIdentifierExtension.create(keys.publicKey)
  return { keys, certificate, keyIdentifier }
}

let serial = 1

async function createLeaf(
  keys: webcrypto.CryptoKeyPair,
  now: Date,
  leaf: Leaf,
): Promise<X509Certificate> {
  serial += 1
  const extensions: Extension[] = [
    new SubjectAlternativeNameExtension(leaf.names.map(value => ({ type: 'dns', value }))),
    leaf.issuer.keyIdentifier,
  ]
  return X509CertificateGenerator.create({
    serialNumber: serial.toString(16).padStart(16, '4'),
    // Hosts are only alternative names: a common name may have 64 characters, a host more.
    subject: 'O=Demo Internet',
    issuer: leaf.issuer.certificate.subject,
    notBefore: addDays(now, -30),
    notAfter: leaf.notAfter,
    signingKey: leaf.issuer.keys.privateKey,
    publicKey: keys.publicKey,
    signingAlgorithm: algorithm,
    extensions,
  })
}

function createKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
}

function addDays(time: Date, days: number): Date {
  return new Date(time.getTime() + days * dayMs)
}
