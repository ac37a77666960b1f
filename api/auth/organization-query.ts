import { z } from 'zod'

const ORGANIZATION_CHARS_MAX = 255

/** Id of the organization, if the caller may act for several. */
export const org = z
  .string()
  .trim()
  .min(1, 'must be the id of an organization')
  .max(ORGANIZATION_CHARS_MAX)
  .optional()
  .meta({ description: 'ID of the organization; by default your own or your first one' })

/** The query of an operation on an organization. */
export const OrganizationQuery = z.object({ org })
