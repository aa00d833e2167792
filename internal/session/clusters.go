package session

import (
	"fmt"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/ptx"
)

// Clusters of blocks (PTX 2.2.2 and 11.7; CUDA C++ Programming Guide, "Thread Block Clusters").

// clusterOf is the size of the clusters of a launch: what the launch says, else what the kernel demands; zero: neither says.
func (k *Kernel) clusterOf(fn *ir.Func, l *api.Launch) [3]uint32 {
	c := [3]uint32{l.Cluster.X, l.Cluster.Y, l.Cluster.Z}
	if c == ([3]uint32{}) {
		return fn.ReqCluster
	}
	for i := range c {
		c[i] = max(c[i], 1)
	}
	return c
}

// clusters checks the clusters of a launch against the kernel and the grid, and counts blocks where the launch counts clusters.
func (k *Kernel) clusters(p *Prepared, l *Launch, s *sim.Launch) error {
	fn := p.Fn
	c := k.clusterOf(fn, &l.Launch)
	bad := func(remedy, format string, args ...any) error {
		d := k.Errorf("bad-launch", format, args...)
		d.Remedy = remedy
		return diag.List{d}
	}
	if c == ([3]uint32{}) {
		if fn.NeedsCluster {
			return bad("give it with --cluster X,Y,Z", "the kernel is .explicitcluster, and the launch gives no size of a cluster")
		}
		return nil
	}
	if (k.m.isa != api.PTX || p.Target.SM < 90) && c == [3]uint32{1, 1, 1} {
		return nil // as every launch there
	}
	if k.m.isa != api.PTX || p.Target.SM < 90 {
		return bad("launch it without clusters, or compile it for sm_90 or later", "clusters need PTX for sm_90 or later; the kernel is for %s", k.targetName(p))
	}
	size := uint64(c[0]) * uint64(c[1]) * uint64(c[2])
	if c[0] > ptx.MaxCluster || c[1] > ptx.MaxCluster || c[2] > ptx.MaxCluster || size > ptx.MaxCluster {
		return bad("", "a cluster of %d,%d,%d blocks; at most %d blocks are allowed", c[0], c[1], c[2], ptx.MaxCluster)
	}
	if r := fn.ReqCluster; r != ([3]uint32{}) && r != c {
		return bad(fmt.Sprintf("launch it with --cluster %d,%d,%d, or leave that out", r[0], r[1], r[2]), "a cluster of %d,%d,%d blocks; the kernel requires %d,%d,%d", c[0], c[1], c[2], r[0], r[1], r[2])
	}
	if n := uint64(fn.MaxCluster); n > 0 && size > n {
		return bad("", "a cluster of %d blocks; at most %d are allowed, as the kernel declares (.maxclusterrank)", size, n)
	}
	limits := [3]uint64{maxGridX, maxGridYZ, maxGridYZ}
	for i, axis := range []string{"X", "Y", "Z"} {
		if fn.GridOfClusters {
			n := uint64(s.Grid[i]) * uint64(c[i])
			if n > limits[i] {
				return bad("launch fewer clusters", "%d clusters of %d blocks in %s; at most %d blocks are allowed", s.Grid[i], c[i], axis, limits[i])
			}
			s.Grid[i] = uint32(n)
		}
		if s.Grid[i]%c[i] != 0 {
			return bad("make the grid a multiple of the cluster in each dimension", "the grid has %d blocks in %s, which is no multiple of the %d of a cluster", s.Grid[i], axis, c[i])
		}
	}
	s.Cluster = c
	return nil
}

// targetName names the target of a kernel.
func (k *Kernel) targetName(p *Prepared) string {
	if k.m.isa == api.GCN3 {
		return "GCN3"
	}
	return p.Target.String()
}
