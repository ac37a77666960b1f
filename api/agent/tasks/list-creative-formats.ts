import { z } from 'zod'
import { AccountRef, nameAccount } from '../accounts.ts'
import type { Format } from '../catalogue/formats.ts'
import { listFormats } from '../catalogue/seeded-formats.ts'
import { cutPage, Pagination } from '../paging.ts'
import { defineTask } from '../task.ts'
import type { TaskContext } from '../task-context.ts'
import { FormatId, isSameFormat, toFormatId } from './format-id.ts'

const pixels = z.number().int().min(0)
const assetTypes = z.enum(['image', 'video', 'audio', 'text', 'url', 'html', 'javascript', 'vast'])

const Input = z.object({
  format_ids: z.array(FormatId).optional().describe('Only these formats'),
  type: z.enum(['audio', 'video', 'display', 'dooh']).optional().describe('Only this type'),
  asset_types: z.array(assetTypes).optional().describe('Only formats made of these assets'),
  max_width: pixels.optional().describe('Maximum in pixels'),
  max_height: pixels.optional().describe('Maximum in pixels'),
  min_width: pixels.optional().describe('Minimum in pixels'),
  min_height: pixels.optional().describe('Minimum in pixels'),
  is_responsive: z
    .boolean()
    .optional()
    .describe('true: only formats of any width; false: only formats of a fixed width'),
  name_search: z.string().optional().describe('A part of the name, case-insensitive'),
  account: AccountRef.optional().describe(
    'An account for which a test put formats into the sandbox',
  ),
  pagination: Pagination.optional(),
})

type Filters = z.infer<typeof Input>

export const listCreativeFormats = defineTask({
  name: 'list_creative_formats',
  title: 'List creative formats',
  description: 'Lists the creative formats that this agent accepts or produces',
  input: Input,
  run(filters, context) {
    const all = listFormats(filters.account && nameAccount(filters.account), context)
    const found = all.filter(format => matchesFilters(format, filters, context))
    const { items, pagination } = cutPage(found, filters.pagination)
    return {
      formats: items.map(format => describeFormat(format, context)),
      creative_agents: [
        {
          agent_url: context.toAddress('creative'),
          agent_name: 'Creative',
          capabilities: ['validation', 'assembly', 'generation', 'preview'],
        },
      ],
      pagination,
      sandbox: true,
    }
  },
})

function matchesFilters(format: Format, filters: Filters, context: TaskContext): boolean {
  const { size } = format
  const text = filters.name_search?.toLowerCase()
  const within = (edge: 'width' | 'height', min = 0, max = Number.POSITIVE_INFINITY) =>
    size ? size[edge] >= min && size[edge] <= max : min === 0 && max === Number.POSITIVE_INFINITY
  return (
    (!filters.format_ids || filters.format_ids.some(id => isSameFormat(id, format, context))) &&
    (!filters.type || format.type === filters.type) &&
    (filters.asset_types ?? []).every(type =>
      format.assets.some(({ asset_type }) => asset_type === type),
    ) &&
    within('width', filters.min_width, filters.max_width) &&
    within('height', filters.min_height, filters.max_height) &&
    (filters.is_responsive === undefined || !!format.isResponsive === filters.is_responsive) &&
    (!text || format.name.toLowerCase().includes(text))
  )
}

function describeFormat(format: Format, context: TaskContext): Record<string, unknown> {
  const dimensions = format.size
    ? { ...format.size, unit: 'px' }
    : { responsive: { width: true, height: true } }
  const isVisible = format.type !== 'audio'
  return {
    format_id: toFormatId(format.id, context),
    name: format.name,
    description: format.description,
    type: format.type,
    ...(isVisible && { renders: [{ role: 'primary', dimensions }] }),
    assets: format.assets.map(asset => ({ item_type: 'individual', ...asset })),
    assets_required: format.assets.filter(({ required }) => required),
  }
}
