from scratch import *
import poise.methods.adaptation.descent as D
orig=D._model
def dbg(system, band, slope, damping, error, free, state, effort, unknowns):
    x,z,mx,ahead=orig(system, band, slope, damping, error, free, state, effort, unknowns)
    v=system.violation(error); w=system.weight*v*v*.5
    first=0; out={}
    for b,p in zip(system.blocks,system.samples.chosen):
        n=len(p)*len(b.kind); rows=system.row_of[first:first+n]; first+=n
        key=b.name.split(' ')[0]
        out[key]=out.get(key,0)+w[rows].sum()
    print('step',state.steps,'merit %.3f'%state.merit,'cost %.3f'%state.cost,'|x| %.3f'%np.abs(x).max(),'lm %.0e'%(damping[0]/band[0,0]), {k:float('%.3g'%q) for k,q in out.items()})
    return x,z,mx,ahead
D._model=dbg
r=A.adapt(clip,[*plants,pin],floor=True,joints=JOINTS,exact=True)
show(r)
