// Ids of experiments and their items. The server and other SDKs rely on how `createStableExperimentId` makes the id.
import { randomHex, sha256Hex } from './hash.ts'
import { serializeValue } from './serialize.ts'

/** Returns a random experiment id of 16 hexadecimal characters. */
export async function createExperimentId(): Promise<string> {
  return randomHex(8)
}

/** Returns the experiment id for a run of a dataset. If runs of one dataset have the same name, they belong to the same experiment. */
export async function createStableExperimentId(run: {
  readonly projectId: string
  readonly datasetId: string
  readonly runName: string
}): Promise<string> {
  return (await sha256Hex(JSON.stringify(['svc-experiment-v1', run.projectId, run.datasetId, run.runName]))).slice(0, 16)
}

/** Returns the id of an item without a dataset. Equal inputs have equal ids. */
export async function createExperimentItemId(input: unknown): Promise<string> {
  return (await sha256Hex(serializeValue(input) ?? '')).slice(0, 16)
}
