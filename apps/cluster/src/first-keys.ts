// Checks the key pair of the first start. The pair can have been revoked, or its project can have been deleted. The banner of a later start
// must not show invalid keys.
import type { RunningCluster } from './cluster.ts'

type Asked = Pick<RunningCluster, 'publicKey' | 'secretKey'> & { readonly apis: readonly { readonly url: string }[] }

/**
 * Whether the public API refuses the pair. If no response arrives (for example because the certificate is for a different name), the pair
 * is treated as valid.
 */
export async function areFirstKeysRefused({ apis: [api], publicKey, secretKey }: Asked): Promise<boolean> {
  const authorization = `Basic ${Buffer.from(`${publicKey}:${secretKey}`).toString('base64')}`
  const response = await fetch(`${api!.url}/api/public/projects`, { headers: { authorization } }).catch(() => undefined)
  await response?.body?.cancel()
  return response?.status === 401
}
