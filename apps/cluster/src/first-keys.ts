// Checks the key pair of the cluster's first start. If the pair has been revoked, or its project has been deleted, the banner of a later
// start must not show the pair.
import type { RunningCluster } from './cluster.ts'

type Asked = Pick<RunningCluster, 'publicKey' | 'secretKey'> & { readonly apis: readonly { readonly url: string }[] }

/**
 * Returns true if the public API refuses the pair of `publicKey` and `secretKey`, and false if the public API accepts the pair or does not
 * respond.
 */
export async function areFirstKeysRefused({ apis: [api], publicKey, secretKey }: Asked): Promise<boolean> {
  const authorization = `Basic ${Buffer.from(`${publicKey}:${secretKey}`).toString('base64')}`
  const response = await fetch(`${api!.url}/api/public/projects`, { headers: { authorization } }).catch(() => undefined)
  await response?.body?.cancel()
  return response?.status === 401
}
