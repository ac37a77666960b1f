import { z } from 'zod'
import { type Brand, brands } from '../catalogue/brands.ts'
import { TaskError } from '../errors.ts'
import { defineTask } from '../task.ts'

const Input = z.object({
  brand_id: z.string().describe('Id of the brand within its house'),
  fields: z.array(z.string()).min(1).optional().describe('Only these fields'),
})

export const getBrandIdentity = defineTask({
  name: 'get_brand_identity',
  title: 'Get the identity of a brand',
  description: `Returns names, colors and tone of a brand: ${brands.map(({ id }) => id).join(', ')}`,
  input: Input,
  run({ brand_id, fields }) {
    const brand = brands.find(({ id }) => id === brand_id)
    if (!brand) {
      throw new TaskError('BRAND_NOT_FOUND', `There is no brand ${brand_id} here`, {
        field: 'brand_id',
      })
    }
    const { brand_id: id, house, names, ...rest } = describeBrand(brand)
    const wanted = Object.entries(rest).filter(([key]) => !fields || fields.includes(key))
    return {
      brand_id: id,
      house,
      names,
      ...Object.fromEntries(wanted),
      available_fields: Object.keys(rest),
      sandbox: true,
    }
  },
})

function describeBrand({ id, house, names, kellerType, tagline, tone, colors }: Brand) {
  return {
    brand_id: id,
    house,
    names,
    keller_type: kellerType,
    tagline,
    tone: { voice: tone },
    colors,
  }
}
