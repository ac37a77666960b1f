import { z } from 'zod'

const names = (what: string) => z.array(z.string()).optional().describe(what)

/** Fields of an error about what an agent claims to be. */
export const claimFaultFields = {
  error_kind: z
    .enum(['unsupported_adcp_version', 'unknown_specialism', 'specialism_parent_protocol_missing'])
    .optional()
    .describe('How the claims of the tested agent do not fit together'),
  declared_version: z.string().optional().describe('Major version that the agent speaks'),
  known_versions: names('Major versions that there are storyboards for'),
  declared_specialisms: names('Specialisms of the agent that are wrong'),
  known_specialisms: names('Every specialism of the protocol'),
  declared_protocols: names('Parts of the protocol that the agent claims'),
  required_protocols: names('Parts of the protocol that its specialisms belong to'),
}
