import { TaskError } from '../errors.ts'
import type { TaskContext } from '../task-context.ts'
import { findBuyOfPackage, listMediaBuys, saveMediaBuy } from './media-buy-store.ts'
import type { CreativeAssignment } from './requests.ts'
import { updateBuy } from './update.ts'

/** Assigns a creative to a package, in addition to the others. Throws if the package does not exist. */
export function attachCreative(
  packageId: string,
  assignment: CreativeAssignment,
  context: TaskContext,
  field: string,
): void {
  const buy = findBuyOfPackage(packageId, context)
  const known = buy?.packages.find(({ package_id }) => package_id === packageId)
  if (!buy || !known) {
    const message = `${field}.package_id: there is no package ${packageId} here`
    throw new TaskError('PACKAGE_NOT_FOUND', message, { field: `${field}.package_id` })
  }
  const others = known.creative_assignments.filter(
    ({ creative_id }) => creative_id !== assignment.creative_id,
  )
  const creative_assignments = [...others, assignment]
  const packages = [{ package_id: packageId, creative_assignments }]
  saveMediaBuy(updateBuy(buy, { packages }, context).buy, context)
}

/** Lists the ids of an account's packages that show a creative. */
export function listAssignedPackages(
  creativeId: string,
  accountId: string,
  context: TaskContext,
): string[] {
  return listMediaBuys(accountId, context)
    .flatMap(({ packages }) => packages)
    .filter(pkg => pkg.creative_assignments.some(({ creative_id }) => creative_id === creativeId))
    .map(({ package_id }) => package_id)
}
