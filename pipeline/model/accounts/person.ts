import { z } from 'zod'
import { CallerHash } from '../shared-fields.ts'

/** Provider of persons who are known by a link that was sent to their address. */
export const EMAIL_PROVIDER = 'email'

/** An email address in lower case. The local part is not interpreted. */
export const EmailAddress = z.string().trim().toLowerCase().max(254).pipe(z.email())

const facts = {
  email: EmailAddress.nullable(),
  email_verified: z.boolean(),
  name: z.string().trim().min(1).max(200).nullable(),
}

/** A person, known by the subject of their tokens. */
export const Person = z.object({
  user_id: z.string(),
  ...facts,
})
export type Person = z.infer<typeof Person>

/** Largest metadata of an application, as JSON. */
const METADATA_CHARS = 16_384

const Metadata = z
  .record(z.string(), z.unknown())
  .refine(metadata => JSON.stringify(metadata).length <= METADATA_CHARS, {
    error: 'is too large',
  })

/** An application that has registered. */
export const OauthClient = z.object({
  client_id: z.string().min(1).max(100),
  metadata: Metadata,
  /** SHA-256 of its secret, hex; null without one. */
  secret_hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
})
export type OauthClient = z.infer<typeof OauthClient>

/** Maximum number of applications that nobody has signed in with. */
export const UNUSED_CLIENTS_MAX = 10_000

/** Operations of sign-in. */
export const personOperations = [
  /** A person signs in; the answer has the id that they have had since they first did. */
  z.object({
    op: z.literal('person.enter'),
    /** Id of a new person. */
    user_id: z.uuid(),
    provider: z.string().min(1).max(2_000),
    subject: z.string().min(1).max(255),
    ...facts,
  }),
  /** A person deletes their account; they belong to no organization anymore. */
  z.object({ op: z.literal('person.delete'), user_id: z.string().min(1).max(255) }),
  z.object({
    op: z.literal('client.register'),
    ...OauthClient.shape,
    caller_hash: CallerHash.exactOptional(),
  }),
  /** A person has signed in with an application: it stays registered. */
  z.object({ op: z.literal('client.use'), client_id: OauthClient.shape.client_id }),
] as const
