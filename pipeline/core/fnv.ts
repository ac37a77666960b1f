/** Hashes the code units of a text to 32 bits, quickly (FNV-1a). */
export function hashFnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash
}
