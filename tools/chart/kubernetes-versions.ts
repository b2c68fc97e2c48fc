// The Kubernetes versions against which all rendered objects are validated: the oldest supported one, one in between, and the newest.
import { join } from 'node:path'

export const kubernetesVersions = ['1.30.0', '1.33.0', '1.37.0'] as const
export const schemaFolder = join(import.meta.dirname, 'fixtures/schemas')
