import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto'
import { DAY, toIso } from '../../../pipeline/core/clock.ts'
import { Operation } from '../../../pipeline/model/submission.ts'
import type { Known } from '../clients/operation-requests.ts'
import { openIssuer } from '../servers/issuer.ts'
import { START } from '../worlds/clock.ts'
import type { TestRegistry } from './app.ts'

/** A person of the usual organization whose address is known. */
const KNOWN_PERSON = '7c2f1f0e-6f1c-4b52-9c57-0d8f3a3e9a11'
/** People of the usual organization by their roles. */
const people = [
  { user_id: 'boss', role: 'owner' },
  { user_id: 'mate', role: 'member' },
  { user_id: 'guest', role: 'viewer' },
] as const
export const BILLING_SECRET = 'shared with the billing provider'

type IdentityFacts = Omit<
  Known,
  | 'crawlRequest'
  | 'report'
  | 'bulkReport'
  | 'proposals'
  | 'subscriptions'
  | 'watches'
  | 'comparisons'
  | 'registryAdmins'
  | 'dispute'
  | 'acmeKey'
  | 'foreignChallenge'
  | 'logoId'
>

/** Callers of every kind. */
export interface Identities {
  settings: Record<string, string>
  /** Makes them known to a registry, and to one that cannot write afterwards. */
  register(usual: TestRegistry, readOnly: TestRegistry): Promise<IdentityFacts>
  close(): Promise<void>
}

export async function openIdentities(): Promise<Identities> {
  const issuer = await openIssuer()
  const adminKey = `sk_${randomUUID()}`
  const submit = async (registry: TestRegistry, ...operations: object[]) => {
    for (const answer of await registry.submit(
      ...operations.map(operation => Operation.parse(operation)),
    )) {
      if ('refused' in answer) throw new Error(answer.refused)
    }
  }
  const buildKey = (org: string, secret: string, permissions: string[] = []) => {
    const hash = createHash('sha256').update(secret).digest('hex')
    return { op: 'key.create', key_id: randomUUID(), org, label: '', hash, permissions }
  }
  const mailing = (sub: string, host: string) =>
    issuer.token({ sub, email: `${sub}@${host}`, email_verified: true })
  return {
    settings: issuer.settings,
    async register(usual, readOnly) {
      const { kid, alg, public: jwk } = issuer.key()
      const keys = [{ ...jwk, kid, alg }]
      for (const registry of [usual, readOnly]) {
        await submit(
          registry,
          { op: 'issuer.set', issuer: issuer.url, keys, server: buildServerMetadata(issuer.url) },
          buildKey('Readers', adminKey, ['admin:*']),
          ...people.map(({ user_id, role }) => ({
            op: 'membership.set',
            org: 'Readers',
            user_id,
            role,
          })),
        )
      }
      const spare = buildKey('Readers', `sk_${randomUUID()}`)
      const invitationToken = randomBytes(32).toString('base64url')
      const spareInvitation = randomUUID()
      const org_id = await findId(
        usual,
        "select org_id as id from organizations where name = 'Readers'",
      )
      const invite = (invitation_id: string, email: string, token: string) => ({
        op: 'invitation.create',
        invitation_id,
        org_id,
        email,
        role: 'member',
        hash: createHash('sha256').update(token).digest('hex'),
        expires_at: toIso(START + DAY),
        most: 10,
      })
      const spareOrganization = randomUUID()
      const waiting = { op: 'organization.create', org_id: randomUUID(), name: 'Waiting Inc' }
      const domain = { domain: 'waiting.example', proof: 'operator' }
      const old = { url: 'https://acme.example/old', type: 'sales' }
      await submit(
        usual,
        spare,
        invite(randomUUID(), 'invited@readers.example', invitationToken),
        invite(spareInvitation, 'spare@readers.example', 'spare'),
        {
          op: 'person.enter',
          user_id: KNOWN_PERSON,
          provider: 'email',
          subject: 'known@readers.example',
          email: 'known@readers.example',
          email_verified: true,
          name: 'Known',
        },
        { op: 'membership.set', org: 'Readers', user_id: KNOWN_PERSON, role: 'member' },
        { op: 'organization.create', org_id: spareOrganization, name: 'Spare Inc' },
        { op: 'membership.set', org: 'Spare Inc', user_id: 'founder', role: 'owner' },
        waiting,
        { op: 'organization.domain.add', org: 'Waiting Inc', ...domain },
        { op: 'member.agent.save', org: 'Acme', ...old },
      )
      return {
        adminKey,
        spareKeyId: spare.key_id,
        readOnlyKeyId: await findId(
          readOnly,
          `select key_id as id from api_keys join organizations using (org_id)
           where name = 'Readers' and permissions = '[]'`,
        ),
        acmeId: await findId(usual, "select org_id as id from organizations where name = 'Acme'"),
        person: await issuer.token({ sub: 'person' }),
        colleague: await mailing('colleague', 'acme.example'),
        prospect: await mailing('prospect', 'waiting.example'),
        owner: await issuer.token({ sub: 'boss' }),
        viewer: await issuer.token({ sub: 'guest' }),
        invited: await mailing('invited', 'readers.example'),
        invitationToken,
        spareInvitation,
        readersIds: {
          usual: org_id,
          readOnly: await findId(
            readOnly,
            "select org_id as id from organizations where name = 'Readers'",
          ),
        },
        spareOrganization,
        founder: await issuer.token({ sub: 'founder' }),
        billing(body) {
          const t = START / 1_000
          const v1 = createHmac('sha256', BILLING_SECRET).update(`${t}.${body}`).digest('hex')
          return { 'billing-signature': `t=${t},v1=${v1}` }
        },
      }
    },
    async close() {
      await issuer.close()
    },
  }
}

async function findId(registry: TestRegistry, query: string): Promise<string> {
  return (await registry.sequencer.accounts.db.one<{ id: string }>(query))!.id
}

/** Builds the metadata of the identity provider. */
function buildServerMetadata(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    response_types_supported: ['code'],
  }
}
