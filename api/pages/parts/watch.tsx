import { findMailPlace } from '../../../pipeline/core/mail-place.ts'
import type { WatchKind } from '../../../pipeline/model/watch.ts'
import type { Services } from '../../operation/services.ts'
import { type Html, h } from '../html/jsx.ts'

/** Path of the page on which a signed-in person begins to watch something. */
const WATCHES_PATH = '/dashboard/watches'

/** Renders the button that leads to watching something; nothing where the registry cannot sign in and write to people. */
export function renderWatch(
  {
    isAuthorizationServer,
    config,
    baseUrl,
  }: Pick<Services, 'isAuthorizationServer' | 'config' | 'baseUrl'>,
  kind: WatchKind,
  name: string,
): Html | null {
  if (!isAuthorizationServer || findMailPlace(config, baseUrl()) === undefined) return null
  return (
    <form method="get" action={WATCHES_PATH} class="single">
      <input type="hidden" name={kind} value={name} />
      <button type="submit" class="plain">
        Watch
      </button>
    </form>
  )
}
