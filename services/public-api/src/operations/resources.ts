// Handlers of what people configure in a project (public-api-resources.md): one that is added is a file beside this one, and its line here.
import type { Handler } from '../request/handler.ts'
import * as datasetItems from './dataset-items/dataset-items.ts'
import * as datasets from './datasets/datasets.ts'
import * as formerDatasets from './datasets/former.ts'

export const resources: readonly Handler[] = [
  ...[datasets.list, datasets.create, datasets.get],
  ...Object.values(formerDatasets),
  ...Object.values(datasetItems),
]
