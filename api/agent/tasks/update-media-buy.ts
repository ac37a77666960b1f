import { toIso } from '../../../pipeline/core/clock.ts'
import { AccountRef, CallersId } from '../accounts.ts'
import { describePackage, describeState } from '../media-buys/describe.ts'
import { resolveMediaBuy, saveMediaBuy } from '../media-buys/media-buy-store.ts'
import { MediaBuyChange } from '../media-buys/requests.ts'
import { updateBuy } from '../media-buys/update.ts'
import { defineTask } from '../task.ts'

const Input = MediaBuyChange.extend({
  account: AccountRef.optional(),
  media_buy_id: CallersId,
})

export const updateMediaBuy = defineTask({
  name: 'update_media_buy',
  title: 'Change a media buy',
  description: 'Changes budgets, dates, packages and creatives; pauses, resumes and cancels',
  input: Input,
  mutates: true,
  run({ media_buy_id, account: _account, ...change }, context) {
    const known = resolveMediaBuy(media_buy_id, context)
    const { buy, affected } = updateBuy(known, change, context)
    saveMediaBuy(buy, context)
    return {
      media_buy_id,
      ...describeState(buy, context.now),
      implementation_date: toIso(context.now),
      affected_packages: affected.map(pkg => describePackage(pkg, context)),
      sandbox: true,
    }
  },
})
