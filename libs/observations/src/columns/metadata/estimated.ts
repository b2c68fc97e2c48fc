/** Marks rows whose tokens the server counted. The provider's bill can differ from this estimate. */
export const estimatedUsageName = 'svc.usage.estimated'
