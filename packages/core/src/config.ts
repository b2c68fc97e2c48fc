// Only this module reads environment variables. Edge runtimes without the object `process` have the variables as globals.

interface Runtime {
  readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> }
  readonly [name: string]: unknown
}

/** An empty text counts as not set. */
export function getEnv(name: string): string | undefined {
  const runtime = globalThis as unknown as Runtime
  const value = runtime.process?.env?.[name] || runtime[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** True if this runtime has environment variables. */
export function hasEnvironment(): boolean {
  return (globalThis as unknown as Runtime).process?.env !== undefined
}
