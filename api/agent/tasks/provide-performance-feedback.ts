import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { CallersId } from '../accounts.ts'
import { TaskError } from '../errors.ts'
import type { MediaBuy } from '../media-buys/media-buy.ts'
import { resolveMediaBuy } from '../media-buys/media-buy-store.ts'
import { EndTime } from '../media-buys/requests.ts'
import { defineTask } from '../task.ts'

declare module '../state/store.ts' {
  interface Records {
    feedback: Record<string, unknown>
  }
}

const Input = z.object({
  media_buy_id: CallersId,
  measurement_period: z
    .looseObject({ start: EndTime, end: EndTime })
    .describe('The measured period'),
  performance_index: z.number().min(0).describe('1: as expected, 2: twice as good'),
  package_id: CallersId.optional(),
  creative_id: CallersId.optional(),
  metric_type: z.string().max(100).optional(),
  feedback_source: z.string().max(100).optional(),
})

type Request = z.output<typeof Input>

export const providePerformanceFeedback = defineTask({
  name: 'provide_performance_feedback',
  title: 'Give feedback on performance',
  description: 'Accepts a buyer’s measurements of a media buy, a package or a creative',
  input: Input,
  mutates: true,
  run(request, context) {
    const buy = resolveMediaBuy(request.media_buy_id, context)
    assertKnown(request, buy)
    const feedback_id = randomUUID()
    const scope = `${context.tenant} ${buy.media_buy_id}`
    context.state.put('feedback', scope, feedback_id, { feedback_id, ...request }, context)
    return { success: true, feedback_id, sandbox: true }
  },
})

function assertKnown(request: Request, { packages }: MediaBuy): void {
  const { package_id, creative_id, measurement_period: period } = request
  const named = packages.filter(pkg => package_id === undefined || pkg.package_id === package_id)
  if (named.length === 0) {
    const message = `package_id: this media buy has no package ${package_id}`
    throw new TaskError('PACKAGE_NOT_FOUND', message, { field: 'package_id' })
  }
  const shown = named.flatMap(pkg => pkg.creative_assignments)
  if (creative_id !== undefined && !shown.some(pkg => pkg.creative_id === creative_id)) {
    const message = `creative_id: no package here shows ${creative_id}`
    throw new TaskError('CREATIVE_NOT_FOUND', message, { field: 'creative_id' })
  }
  if (period.end > period.start) return
  const message = 'measurement_period.end: must be later than its start'
  throw new TaskError('INVALID_REQUEST', message, { field: 'measurement_period.end' })
}
