import { Fragment, type Html, h } from '../pages/html/jsx.ts'
import { renderSection } from '../pages/parts/blocks.tsx'
import { confirmFirst, SUBJECT } from './confirm.tsx'
import type { DashboardRequest, PersonRoute } from './dashboard-request.ts'
import { type DashboardAnswer, renderButton, renderFault, SIGNED_OUT_PATH } from './page.tsx'

const PATH = '/dashboard/delete'

/** Renders the form that deletes the account of a person, or what stands in its way. */
export function renderAccountDeletion({ memberships, person, token }: DashboardRequest): Html {
  const content =
    memberships.length > 0 ? (
      <p class="quiet">
        To delete your account, first leave or delete every organization that you belong to.
      </p>
    ) : (
      renderButton(
        PATH,
        token,
        'Delete account',
        { [SUBJECT]: person.email ?? person.name ?? person.user_id },
        'plain',
      )
    )
  return renderSection('delete', 'Delete your account', content)
}

const askAboutAccount = () => ({
  label: 'Delete',
  effect:
    'You’ll be signed out everywhere. Your email address, passkeys and watches will be deleted, and applications lose their access. Audit logs keep what you did, but not your address. You can’t undo this.',
})

/** Deletes the account. Like passkeys, it belongs to its person alone: no application may delete it for them. */
async function deleteAccount({
  identity,
  person: { user_id },
  services,
}: DashboardRequest): Promise<DashboardAnswer> {
  // Without Redis no session can be ended.
  identity.requireRedis()
  const by = { kind: 'user', id: user_id } as const
  const answer = await services.writer.submit({ op: 'person.delete', user_id }, { by })
  if ('refused' in answer) {
    const body = (
      <>
        <h1>Delete your account</h1>
        {renderFault(answer.refused)}
        <p>
          <a href="/dashboard">Back to your organizations</a>
        </p>
      </>
    )
    return { status: 409, title: 'Delete your account', body }
  }
  await identity.forgetPerson(services, user_id)
  return { next: `${SIGNED_OUT_PATH}?account=deleted` }
}

export const accountDeletionRoutes: readonly PersonRoute[] = [
  { method: 'POST', path: PATH, handle: confirmFirst(askAboutAccount, deleteAccount) },
]
