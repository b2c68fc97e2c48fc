// Attributes of the product's own SDKs that become columns unchanged.
import type { Dialect } from '../../rules/dialect.ts'
import { resourceAttribute, spanAttribute } from '../../rules/rules.ts'
import { costAttribute, usageAttribute } from './amounts.ts'
import './keys.ts'

const only = (key: string) => [[10, spanAttribute(key)]] as const

/** An experiment attribute that is empty, 0, or false is ignored. */
const experiment = {
  experiment_id: only('svc.experiment.id'),
  experiment_name: only('svc.experiment.name'),
  experiment_description: only('svc.experiment.description'),
  experiment_dataset_id: only('svc.experiment.dataset.id'),
  experiment_item_id: only('svc.experiment.item.id'),
  experiment_item_expected_output: only('svc.experiment.item.expected_output'),
  // In an experiment, an SDK runs a task for each item. The root span of an item can differ from the root span of the trace: it can be the
  // span of the item's task, which is a child of the trace's root span.
  experiment_item_root_span_id: only('svc.experiment.item.root_observation_id'),
  experiment_item_version: only('svc.experiment.item.version'),
  experiment_metadata: only('svc.experiment.metadata'),
  experiment_item_metadata: only('svc.experiment.item.metadata'),
} as const

export const svcAttributes: NonNullable<Dialect['attributes']> = {
  environment: [
    [10, spanAttribute('svc.environment')],
    [20, resourceAttribute('svc.environment')],
  ],
  version: [[10, spanAttribute('svc.version', 'set')]],
  release: [
    [10, spanAttribute('svc.release', 'set')],
    [20, resourceAttribute('svc.release', 'set')],
  ],
  user_id: [
    [10, spanAttribute('svc.user.id')],
    [30, spanAttribute('svc.observation.metadata.svc_user_id')],
    [40, spanAttribute('svc.trace.metadata.svc_user_id')],
  ],
  session_id: [
    [10, spanAttribute('svc.session.id')],
    [40, spanAttribute('svc.observation.metadata.svc_session_id')],
    [50, spanAttribute('svc.trace.metadata.svc_session_id')],
  ],
  tags: [
    [10, spanAttribute('svc.trace.tags')],
    [20, spanAttribute('svc.tags')],
    [30, spanAttribute('svc.observation.metadata.svc_tags')],
    [40, spanAttribute('svc.trace.metadata.svc_tags')],
  ],
  public: [
    [10, spanAttribute('svc.trace.public', 'set')],
    [20, spanAttribute('svc.public', 'set')],
  ],
  trace_name: [[10, spanAttribute('svc.trace.name', 'set')]],
  is_app_root: [[10, spanAttribute('svc.internal.is_app_root', 'set')]],
  as_root: [[10, spanAttribute('svc.internal.as_root', 'set')]],
  status_message: [[10, spanAttribute('svc.observation.status_message', 'set')]],
  provided_model_name: [[10, spanAttribute('svc.observation.model.name')]],
  names_a_model: [[10, spanAttribute('svc.observation.model.name', 'present')]],
  prompt_name: [
    [10, spanAttribute('svc.observation.prompt.name', 'set')],
    [20, spanAttribute('svc.prompt.name', 'set')],
  ],
  prompt_version: [
    [10, spanAttribute('svc.observation.prompt.version', 'set')],
    [20, spanAttribute('svc.prompt.version', 'set')],
  ],
  usage_details: [[10, usageAttribute]],
  cost_details: [[10, costAttribute]],
  // Only the first attribute with a value is used. A dotted key such as `svc.metadata.x` can override a member of this value.
  observation_metadata: [
    [10, spanAttribute('svc.observation.metadata')],
    [20, spanAttribute('svc.metadata')],
  ],
  trace_metadata: [
    [10, spanAttribute('svc.trace.metadata')],
    [20, spanAttribute('svc.metadata')],
  ],
  ...experiment,
}
