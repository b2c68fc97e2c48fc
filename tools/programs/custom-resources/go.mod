// Definitions of the custom resources that the chart renders; no code of these is built.
module svc.test/programs/custom-resources

go 1.26.0

require (
	github.com/kedacore/keda/v2 v2.21.0
	github.com/prometheus-operator/prometheus-operator v0.85.0
	sigs.k8s.io/gateway-api v1.4.0
)
