import { z } from 'zod'

const ORGANIZATION_CHARS_MAX = 255

/** Id of the organization, if the caller may act for several. */
export const org = z
  .string()
  .trim()
  .min(1, 'must be the id of an organization')
  .max(ORGANIZATION_CHARS_MAX)
  .optional()
  .meta({
    description:
      'ID of the organization; defaults to the key’s organization, or to the first one you belong to',
  })

/** The query of an operation on an organization. */
export const OrganizationQuery = z.object({ org })
