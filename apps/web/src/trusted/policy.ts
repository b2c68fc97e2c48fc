// The Trusted Types policy of the app. It allows only workers from the app's own files.

interface Policies {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string }
}

function own(url: string): string {
  if (new URL(url, document.baseURI).origin !== location.origin) throw new TypeError(`A worker of another origin: ${url}`)
  return url
}

const { trustedTypes } = globalThis as { readonly trustedTypes?: Policies }
const policy = trustedTypes?.createPolicy('svc', { createScriptURL: own }) ?? { createScriptURL: own }

/** The caller imports `url` from the worker's file with the suffix `?worker&url`, for example from `./x.worker.ts?worker&url`. */
export const startWorker = (url: string): Worker => new Worker(policy.createScriptURL(url), { type: 'module' })
