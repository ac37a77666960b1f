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

export type Authority = {
  /** Certificate that clients have to trust. */
  pem: string
  /** Certificate for clients that send no host name. */
  fallback: { key: string; cert: string }
  contextFor(name: string, fault?: TlsFault): Promise<SecureContext>
}

type Issuer = { keys: webcrypto.CryptoKeyPair; certificate: X509Certificate }
type Leaf = { name: string; issuer: Issuer; notAfter: Date }

/**
 * Creates one authority per served world. Leaf certificates share one key pair, so a new host costs
 * one signature.
 */
export async function createAuthority(now = new Date()): Promise<Authority> {
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

  const create = async (name: string, fault?: TlsFault) => {
    const certificate = await createLeaf(keys, now, {
      name: fault === 'wrong_name' ? 'somebody-else.example' : name,
      issuer: fault === 'unknown_authority' ? stranger : issuer,
      notAfter: addDays(now, fault === 'expired' ? -1 : 3_650),
    })
    return { key, cert: certificate.toString('pem') }
  }

  const contextFor = (name: string, fault?: TlsFault): Promise<SecureContext> => {
    const id = `${name} ${fault ?? ''}`
    const known = contexts.get(id)
    if (known !== undefined) return known
    const [oldest] = contexts.keys()
    if (contexts.size >= contextsMax && oldest !== undefined) contexts.delete(oldest)
    const made = create(name, fault).then(createSecureContext)
    contexts.set(id, made)
    return made
  }
  const fallback = await create('localhost')
  return { pem: issuer.certificate.toString('pem'), fallback, contextFor }
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
  return { keys, certificate }
}

let serial = 1

async function createLeaf(
  keys: webcrypto.CryptoKeyPair,
  now: Date,
  leaf: Leaf,
): Promise<X509Certificate> {
  serial += 1
  const extensions: Extension[] = [
    new SubjectAlternativeNameExtension([{ type: 'dns', value: leaf.name }]),
    await AuthorityKeyIdentifierExtension.create(leaf.issuer.keys.publicKey),
  ]
  return X509CertificateGenerator.create({
    serialNumber: serial.toString(16).padStart(16, '4'),
    // The host is only an alternative name: a common name may have 64 characters, a host more.
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
