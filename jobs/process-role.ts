/** A process of the registry that is up. Closing ends it in order and never throws. */
export interface Role {
  close(): Promise<void>
}
