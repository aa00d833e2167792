package sim

import "crosslane/lane"

// The barrier of the cluster (PTX 9.7.14.3): a cluster has one block. An arrival
// does not wait, so that each wave keeps the lanes that have arrived in the phase
// that is open; who is not among them need not wait.

// ClusterArrive lets lanes arrive. The last one of the block opens the next phase.
func (w *Wave) ClusterArrive(m lane.Mask) {
	w.atCluster |= m
	if w.races != nil {
		w.Block.cluster = w.Block.cluster.join(w.releaseAll(w.orAll(m)))
	}
	w.settleCluster()
}

// settleCluster opens the next phase if every lane that has not exited has arrived.
// Lanes that are switched off for a trial (Launch.Idle) are not waited for.
func (w *Wave) settleCluster() {
	for _, o := range w.Waves {
		if o.Live&^w.Launch.Idle&^o.atCluster != 0 {
			return
		}
	}
	for _, o := range w.Waves {
		o.atCluster = 0
	}
	w.Block.clusterDone, w.Block.cluster = w.Block.cluster, signal{}
}

// ClusterDone returns the lanes whose phase is over. Lanes that exit let others go
// on, so that it looks again.
func (w *Wave) ClusterDone() lane.Mask {
	if w.atCluster != 0 {
		w.settleCluster()
	}
	w.learn(w.orAll(w.Live&^w.atCluster), w.Block.clusterDone)
	return ^w.atCluster
}
