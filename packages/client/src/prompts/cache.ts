// Cache of prompts. An expired prompt is still used until it has been reloaded.

interface Entry<T> {
  value: T
  expiresAt: number
}

/**
 * The cached variants of one prompt name. Invalidating the name replaces this map by a new map. A read that began before the
 * invalidation writes into the old map, which nothing reads any more.
 */
export type CachedVariants<T> = Map<string, Entry<T>>

const defaultTtlSeconds = 60

/** The version takes precedence over the label. */
export function variantOf({ version, label }: { readonly version?: number | undefined; readonly label?: string | undefined }): string {
  return version === undefined ? `label:${label ?? 'production'}` : `version:${version}`
}

export class PromptCache<T> {
  private readonly names = new Map<string, CachedVariants<T>>()

  variants(name: string): CachedVariants<T> {
    let variants = this.names.get(name)
    if (variants === undefined) this.names.set(name, (variants = new Map()))
    return variants
  }

  /** Removes exactly this name. */
  invalidate(name: string): void {
    this.names.delete(name)
  }
}

export function store<T>(variants: CachedVariants<T>, variant: string, value: T, ttlSeconds: number | undefined): void {
  variants.set(variant, { value, expiresAt: Date.now() + (ttlSeconds ?? defaultTtlSeconds) * 1000 })
}

export const isExpired = ({ expiresAt }: { readonly expiresAt: number }): boolean => Date.now() >= expiresAt
